# nothing that lies in the current folder is run, also where PATH, PYTHONPATH and the user's packages lead there
for name in sysconfig importlib os site sitecustomize usercustomize encodings; do echo "open('$PWD/run', 'a').write('$name')" >$name.py; done
printf '#!/bin/sh\necho interpreter >%s/run\n' "$PWD" >python3; chmod +x python3
mkdir "$PWD/packages" "$PWD/packages/torch-9.9.9.dist-info"
printf 'Metadata-Version: 2.1\nName: torch\nVersion: 9.9.9\n' >packages/torch-9.9.9.dist-info/METADATA
PATH=.::bin:$PATH PYTHONPATH=.::packages trace-analyzer doctor >/dev/null; cat run 2>/dev/null
PYTHONPATH=.:$PWD/packages trace-analyzer doctor | grep -oE "torch 9.9.9"; cat run 2>/dev/null || true
