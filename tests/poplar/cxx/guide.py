# SPDX-License-Identifier: MIT
"""guide.py SOURCE BUILD CXX: what the Poplar guide shows in C++ (2.5, 2.8, 5, 6.1, 8.1, 8.2, 9), compiled, linked and
run by the guide's own command lines; 6.1 when POPLIBS names an installed PopLibs. Where the guide lies beside the project its snippets are read from it, by a phrase that
only they hold; else, and beside them, lines of our own with the same calls."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, build, cxx = (os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3])

# phrase of the guide's snippet, the same calls by us
SNIPPETS = {
    "includes": ("#include <poplar/Engine.hpp>", """#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
using namespace poplar;"""),
    "compile": ("my-program.cpp -lpoplar", "$ g++ -std=c++11 my-program.cpp -lpoplar"),
    "codelet": ("AdderVertex", """#include <poplar/Vertex.hpp>
struct AdderVertex : poplar::Vertex {
    poplar::Input<float> x, y;
    poplar::Output<float> sum;
    bool compute() { *sum = *x + *y; return true; }
};"""),
    "popc": ("popc codelets.cpp", "$ popc codelets.cpp -o codelets.gp"),
    "replicated": ("createReplicatedGraph(4)", "Graph g(target);\nGraph rg = g.createReplicatedGraph(4);"),
    "replicas": ("replication_factor(4)", "Graph rg(target, replication_factor(4));"),
    "graph profile": ("graphProfile = engine", "const ProfileValue graphProfile = engine.getGraphProfile();"),
    "execution profile": ("executionProfile = engine",
                          "const ProfileValue executionProfile = engine.getExecutionProfile();"),
    "json": ("serializeToJSON(graphFile", "serializeToJSON(graphFile, graphProfile);\n"
             "serializeToJSON(executionFile, executionProfile, false);"),
    "engine": ("Engine engine(graph, prog,", """Engine engine(graph, prog, {{"debug.instrumentCompute", "true"},
    {"debug.instrumentExternalExchange", "false"}, {"debug.computeInstrumentationLevel", "vertex"}});"""),
    "model": ("ipuModel.compileIPUCode", "IPUModel ipuModel;\nipuModel.compileIPUCode = true;"),
    "summary": ("poplar::printProfileSummary(std::cout", "printProfileSummary(std::cout, graphProfile, "
                "executionProfile, options);"),
    "options": ("export POPLAR_ENGINE_OPTIONS",
                "export POPLAR_ENGINE_OPTIONS='{\"debug.instrument\": \"true\"}'"),
    "conversion": ("poplar_profile_summary --graph-profile",
                   "$ poplar_profile_summary --graph-profile graph_profile.json"),
    "popops": ("popops/ElementWise.hpp>", "#include <include/popops/ElementWise.hpp>"),
    "popops link": ("my-program.cpp -lpoplar -lpopops", "$ g++ -std=c++11 my-program.cpp -lpoplar -lpopops"),
    "logging": ("POPLAR_ENGINE_LOG_LEVEL=TRACE", "$ POPLAR_LOG_LEVEL=INFO POPLAR_ENGINE_LOG_LEVEL=TRACE ./my_poplar_program"),
}

PROGRAM = """
@includes@
#include <cstdio>
#include <fstream>
#include <iostream>
#include <poplar/IPUModel.hpp>
using namespace poplar::program;

static Target eight() { return Target::createIPUTarget(8, 4, "ipu2"); }

static unsigned split() {
  Target target = eight();
@replicated@
  Tensor x = rg.addVariable(FLOAT, {3});
  rg.setTileMapping(x, 7); /* two IPUs of four tiles each */
  return rg.getReplicationFactor() * 100 + static_cast<unsigned>(g.getTileMapping(rg.getNonReplicatedTensor(x))[15].size());
}

static unsigned alone() {
  Device device = Device::createSimulatorDevice(eight());
  Target target = device.getTarget();
@replicas@
  return rg.getReplicationFactor() * 100 + rg.getTarget().getNumIPUs();
}

int main() {
@model@
  ipuModel.tilesPerIPU = 4;
  Device device = ipuModel.createDevice();
  Graph graph(device);
  graph.addCodelets("codelets.gp");
  Tensor a = graph.addConstant(FLOAT, {}, 20.0f), b = graph.addConstant(FLOAT, {}, 22.0f);
  Tensor sum = graph.addVariable(FLOAT, {}, "sum");
  ComputeSet cs = graph.addComputeSet("adding");
  VertexRef v = graph.addVertex(cs, "AdderVertex", {{"x", a}, {"y", b}, {"sum", sum}});
  for (const Tensor &t : {a, b, sum}) graph.setTileMapping(t, 1);
  graph.setTileMapping(v, 2);
  graph.setPerfEstimate(v, 12);
  graph.createHostRead("sum", sum);
  Program prog = Execute(cs);
@engine@
  engine.loadAndRun(device);
  float answer = 0;
  engine.readTensor("sum", &answer, &answer + 1);
  std::ofstream graphFile("graph_profile.json"), executionFile("execution_profile.json");
  OptionFlags options{{"showExecutionSteps", "true"}};
@graph profile@
@execution profile@
@json@
@summary@
  std::printf("sum %g split %u alone %u\\n", static_cast<double>(answer), split(), alone());
  return 0;
}
"""

# Chapter 6.1: an operation of a library in a program, and the library in its command line.
LIBRARY_PROGRAM = """
@popops@
@includes@
#include <cstdio>
#include <poplar/IPUModel.hpp>
#include <popops/codelets.hpp>
using namespace poplar::program;

int main() {
  IPUModel ipuModel;
  ipuModel.tilesPerIPU = 4;
  Device device = ipuModel.createDevice();
  Graph graph(device);
  popops::addCodelets(graph);
  Tensor a = graph.addConstant<float>(FLOAT, {4}, {1, 2, 3, 4}), b = graph.addConstant(FLOAT, {4}, 10.0f);
  for (unsigned i = 0; i < 4; i++) graph.setTileMapping(a[i], i), graph.setTileMapping(b[i], i);
  Sequence prog;
  Tensor sum = popops::add(graph, a, b, prog, "sum");
  graph.createHostRead("sum", sum);
  Engine engine(graph, prog);
  engine.loadAndRun(device);
  float s[4];
  engine.readTensor("sum", s, s + 4);
  std::printf("%g %g %g %g\\n", double(s[0]), double(s[1]), double(s[2]), double(s[3]));
  return 0;
}
"""

EXPECTED = "sum 42 split 401 alone 402\n"
failures = 0


def expect(what, holds, detail=""):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what, detail)


def snippets_of_guide():
    for up in ("..", "../.."):
        path = os.path.join(source, up, "shared/seeds/poplar-user-guide.txt")
        if os.path.exists(path):
            fences = re.findall(r"^```[^\n]*\n(.*?)^```", open(path, encoding="utf-8").read(), re.M | re.S)
            found = {}
            for name, (phrase, _) in SNIPPETS.items():
                hits = [f for f in fences if phrase in f]
                expect("one snippet with '%s'" % phrase, len(hits) >= 1)
                found[name] = hits[0] if hits else ""
            return found
    return None


def run(line, folder, environment):
    return subprocess.run(["bash", "-c", line.lstrip("$ ")], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def filled(program, snippets):
    return re.sub(r"@(\w[\w ]*)@", lambda m: snippets[m.group(1)], program)


def attempt_library(title, snippets, folder, environment, prefix):
    folders = [os.path.join(prefix, "lib"), build]
    environment = dict(environment, LIBRARY_PATH=":".join(folders), LD_LIBRARY_PATH=":".join(reversed(folders)),
                       CPATH=":".join([environment["CPATH"], os.path.join(prefix, "include"), prefix]))
    with open(os.path.join(folder, "my-program.cpp"), "w", encoding="utf-8") as file:
        file.write(filled(LIBRARY_PROGRAM, snippets))
    # popops calls poputil, and the guide leaves it to the reader to link what a library needs.
    made = run(snippets["popops link"].rstrip() + " -lpoputil", folder, environment)
    expect(title + ": " + snippets["popops link"], made.returncode == 0, made.stderr)
    ran = run("./a.out", folder, environment)
    expect(title + ": popops", ran.returncode == 0 and ran.stdout == "11 12 13 14\n", ran.stdout + ran.stderr)


def attempt(title, snippets):
    folder = tempfile.mkdtemp()
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    compiler = shutil.which(cxx)
    with open(os.path.join(tools, "g++"), "w", encoding="utf-8") as script: # the compiler of this build, its sanitizers
        script.write('#!/bin/sh\nexec %s %s "$@"\n' % (compiler, os.environ.get("SANITIZE", "")))
    os.chmod(os.path.join(tools, "g++"), 0o755)
    environment = dict(os.environ, PATH=tools + ":" + os.path.join(build, "bin") + ":" + os.environ["PATH"],
                       CPATH=os.path.join(source, "include"), LIBRARY_PATH=build, LD_LIBRARY_PATH=build)
    try:
        for name, content in (("codelets.cpp", snippets["codelet"]), ("my-program.cpp", filled(PROGRAM, snippets))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        for step in ("popc", "compile"):
            made = run(snippets[step], folder, environment)
            expect(title + ": " + snippets[step], made.returncode == 0, made.stderr)
        os.rename(os.path.join(folder, "a.out"), os.path.join(folder, "my_poplar_program"))
        for line in (snippets["logging"], snippets["options"] + "\n./my_poplar_program"):
            ran = run(line, folder, environment)
            expect(title + ": " + line, ran.returncode == 0 and ran.stdout.endswith(EXPECTED), ran.stdout + ran.stderr)
            expect(title + ": steps in the summary", "adding" in ran.stdout, ran.stdout)
            # compileIPUCode is on: the code of the vertex is compiled for the chip and counted (guide 8.1.1)
            expect(title + ": the summary counts the vertex's code", re.search(r"Vertex Code: +[1-9]", ran.stdout) and
                   "absent: Vertex Code" not in ran.stdout, ran.stdout)
        logged = run(snippets["logging"], folder, environment).stderr
        expect(title + ": engine messages", re.search(r"PO:?ENGINE|PO.*ENGINE", logged), logged[:300])
        summary = run(snippets["conversion"], folder, environment)
        expect(title + ": " + snippets["conversion"], summary.returncode == 0 and "Number of IPUs" in summary.stdout,
               summary.stdout + summary.stderr)
        if poplibs:
            attempt_library(title, snippets, folder, environment, poplibs)
    finally:
        shutil.rmtree(folder)


poplibs = os.environ.get("POPLIBS")
if not poplibs or not os.path.exists(os.path.join(poplibs, "include/popops/ElementWise.hpp")):
    print("POPLIBS names no installed PopLibs: chapter 6.1 was not run.")
    poplibs = None
attempt("own", {name: own for name, (_, own) in SNIPPETS.items()})
guide = snippets_of_guide()
if guide:
    attempt("guide", guide)
else:
    print("The guide does not lie beside the project: only our own programs were run.")
sys.exit(1 if failures else 0)
