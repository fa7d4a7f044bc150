# an interpreter and a runtime library that only this test has
mkdir bin lib; ln -s libcudart.so.12.9.79 lib/libcudart.so.12; touch lib/libcudart.so.12.9.79
printf '#!/bin/sh\necho "3.12.1 cpython /x/python3"; echo /x/packages; echo "torch 2.15.0"\n' >bin/python3; chmod +x bin/python3
PATH=$PWD/bin:$PATH LD_LIBRARY_PATH=$PWD/lib trace-analyzer doctor | grep -E "^[a-z]+ +(libcudart|python|frameworks)" | sed "s|$PWD|W|"
