// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_list.h"

#include "core/export/report_json.h"
#include "core/support/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace crease::cli {

bool ModelList::add(const std::string& model, ModelResult result)
{
    m_code = std::max(m_code, result.code);
    m_done += result.code == Done ? 1 : 0;
    m_summary += fmt::format("  {}: {}\n", printable(model), printable(result.line));
    if (!m_error && result.json.contains("error")) {
        m_error = result.json["error"];
    }
    m_list.push_back(std::move(result.json));
    return result.code != Interrupted;
}

int ModelList::finish() const
{
    if (m_count == 1) {
        m_console.object(m_list.front());
        return m_code;
    }
    nlohmann::json all = jsonHead();
    all["summary"] = {{"models", m_count}, {"done", m_done}, {"failed", m_list.size() - m_done}, {"exit", m_code}};
    if (m_error) {
        all["error"] = *m_error;
    }
    all["models"] = m_list;
    m_console.object(all);
    m_console.print(fmt::format("summary of {} models\n{}", m_count, m_summary));
    return m_code;
}

} // namespace crease::cli
