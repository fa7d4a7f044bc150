# a broken or hanging interpreter is no reason to fail
mkdir bin; printf "#!/bin/sh\nexec sleep 100\n" >bin/python3; chmod +x bin/python3; cp bin/python3 bin/python
PATH=$PWD/bin:$PATH timeout 40 trace-analyzer doctor | grep -E "^[a-z]+ +python"
