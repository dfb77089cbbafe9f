#include "compiler/driver/standalone.h"

#include "compiler/netlist/netlist.h"

namespace heddle {

std::vector<OutputFile> standalone_verilog(const CompiledRegion& region, const RunResult&) {
  const Netlist netlist = make_netlist(region.graph, region.input, module_name(region.region.name), "Region " + region.region.name);
  std::vector<OutputFile> files;
  for (const LibraryFile& f : library_files(netlist)) files.push_back({f.name, f.text});
  files.push_back({netlist.name + ".sv", to_verilog(netlist)});
  return files;
}

std::vector<OutputFile> standalone_systemc(const CompiledRegion&, const RunResult&) { return {}; }

}  // namespace heddle
