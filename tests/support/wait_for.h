// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

/// Waits (bounded) until a condition holds, for work that runs in jobs.
#define WAIT_FOR(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, 60000)
