// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/theme.h"

#include <qcustomplot.h>

#include <vector>

namespace crease {

/// A QCustomPlot in the colours and lines of look.md: 1 px line grid, no frame.
class Plot : public QCustomPlot {
    Q_OBJECT

public:
    explicit Plot(const Theme& theme, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);

    /// Hollow circles: before or local; filled accent: after or accumulated.
    void showPairs(const std::vector<double>& hollow, const std::vector<double>& filled, const QString& hollowName,
                   const QString& filledName);
    /// Bars; the clipped ends stand out.
    void showHistogram(const std::vector<double>& positions, const std::vector<double>& counts, bool clipsLow,
                       bool clipsHigh);
    void addReference(double y, const QString& text);
    void showNothing();

private:
    const Theme* m_theme;
};

} // namespace crease
