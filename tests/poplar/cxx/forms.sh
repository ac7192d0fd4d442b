# SPDX-License-Identifier: MIT
# forms.sh SOURCE: forms.cpp and the headers compile as C++11, 14, 17 and 20 by g++ and by clang++, strictly.
failures=0
for compiler in g++ clang++-19; do
  command -v "$compiler" >/dev/null 2>&1 || { echo "no $compiler"; continue; }
  for standard in c++11 c++14 c++17 c++20; do
    "$compiler" -std=$standard -Wall -Wextra -Wpedantic -Werror -Wno-pessimizing-move -Wno-redundant-move \
      -isystem "$1/include" -fsyntax-only "$1/tests/poplar/cxx/forms.cpp" ||
      { echo "FAILED: $compiler -std=$standard"; failures=1; }
  done
  # Every header that programs of the SDK may include.
  for name in Alignment ArrayRef CSRFunctions CodeletFileType CycleCount DataStream DebugContext Device DeviceManager Engine \
    Error Executable FunctionBufferMappingType GlobalExchangeConstraints Graph GraphElements IPUModel IeeeHalf Interval \
    IpuLinkConfiguration IpuLinkTopology LateInitCallback OptionFlags PerfEstimateFunc PrintTensor ProfileValue Program \
    RandomSeed RemoteBuffer ReplicatedStreamMode SerializationFormat StreamCallback StringRef SyncType Target TargetType \
    Tensor TensorCloneDuplicationMethod TensorCloneMethod Type TypeTraits VariableMappingMethod VariableRef VectorLayout \
    VertexIntrospector exceptions replication_factor; do
    [ -f "$1/include/poplar/$name.hpp" ] || { echo "FAILED: there is no <poplar/$name.hpp>"; failures=1; }
  done
  # The headers themselves, not as a system's: with all warnings. Those of poplar/ by clang++: cli.header_test.
  for header in "$1"/include/poplar/*.hpp "$1"/include/pva/*.hpp "$1"/include/pvti/*.hpp; do
    case $compiler$header in clang*/include/poplar/*) continue ;; esac
    case $header in */Vertex.hpp | */HalfFloat.hpp | */TileConstants.hpp | */InOutTypes.hpp | */VectorTypes.hpp | \
      */FieldTypes.hpp | */VectorListTypes.hpp | */StackSizeDefs.hpp | */Alignment.hpp) continue ;; # of codelets
    esac
    list=; [ "$compiler" = g++ ] && list=-Wno-init-list-lifetime
    echo "#include \"$header\"" | "$compiler" -std=c++11 -Wall -Wextra -Wpedantic -Werror $list -I"$1/include" \
      -fsyntax-only -x c++ - || { echo "FAILED: $compiler $header"; failures=1; }
  done
done
exit $failures
