// Reports as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "compiler/driver/pipeline.h"

namespace heddle {

/// One line per region and output.
std::string check_text(const ScheduleReport& report);
std::string summary_text(const std::vector<ScheduleReport>& reports);
nlohmann::ordered_json check_json(const std::string& model,
                                  const std::vector<ScheduleReport>& reports);
/// Cycles and counters of one run.
std::string run_text(const ScheduleReport& report);

}  // namespace heddle
