"""The smallest tables on which two options together were once answered wrongly, and how to ask about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from same_answers.answers import call

TABLES = {
    1: "s,x,k\n1,a,p\n2,b,q\n3,c,p\n3,d,q\n",
    2: "s,x,k\n2,0,p\n3,2,q\n3,4,p\n2,6,p\n",
    3: "s,x\na,1\na,2\nb,3\nb,4\n",
    4: "s,x\na,1\nb,2\nc,\n",
    5: "s,x,k\n2,2,l\n0,9,k\n",
    6: "s,x\na,0\nb,3\n",
    8: "s,x,y\na,-0.6,4\nb,0.5,4\nc,-0.6,-8\n",
    9: "s,x\na,0\nb,1\na,2\nb,3\n",
    10: "s,x\nb,Z\nb,c\na,d\na,e\na,f\nb,g\n",
    11: "s,x,a\n5,2,q\n6,21,p\n",
    13: "s,x,a\n1,4,p\n7,5,p\n7,9,q\n",
    14: "p,x,s\nann,u,1\nann,v,1\nbob,u,2\neve,v,2\ndan,u,1\nzoe,v,1\n",
    17: "s,x\n4,6\n1,2.4\n1,2.4\n4,1.8\n4,6\n2,0.6\n3,0\n",
    18: "s,x\n2,\n1,120\n3,180\n3,300\n1,180\n3,180\n",
    19: "p,x,s\neve,,1\nbob,180,4\neve,180,1\nzoe,,4\n",
    20: "s,x,y\n2,180,0\n1,180,10\n1,60,40\n2,120,40\n2,180,10\n",
    21: "s,x,k\n3,c,q\n3,c,p\n2,e,p\n3,g,q\n",
    22: "p,x,s\neve,60,1\nzoe,420,1\nann,300,1\ndan,420,2\ndan,120,2\nbob,60,1\n",
    23: "p,x,s\nbob,60,2\nann,120,3\nann,60,3\nbob,60,2\n",
    24: "s,x,a\n3,120,f\n2,180,g\n1,60,g\n",
    25: "s,x,a\n2,60,u\n2,0,u\n2,420,v\n2,0,u\n2,300,w\n3,120,w\n2,300,w\n2,420,v\n",
    26: "s,x\n1,0\n3,-180\n3,60\n2,900\n3,120\n",
    27: "p,x,s\neve,240,3\ndan,180,2\nzoe,120,1\ndan,,2\neve,,3\neve,120,3\neve,420,3\nann,120,3\n",
    28: "s,t,x\n3,o,\n3,m,240\n1,o,540\n3,n,540\n2,o,0\n1,m,540\n",
    30: "s,t,x\n4,m,-4.2\n4,o,-1.8\n3,n,-1.8\n1,o,-1.8\n4,m,\n3,o,\n",
    29: "p,x,s\nbob,120,1\nbob,60,1\ndan,60,3\neve,120,3\nann,420,1\nbob,,1\n",
    32: "x,y,s,a\n180,10,1,g\n0,10,2,g\n0,0,2,f\n180,0,3,f\n0,0,1,f\n0,40,1,g\n0,10,1,g\n0,0,1,g\n",
    33: "s,x\n1,a\n2,a\n1,b\n2,b\n3,c\n4,d\n5,e\n1,e\n2,f\n",
    34: "p,s,x\nann,2,i\ndan,1,b\nbob,1,b\neve,2,g\neve,2,h\nbob,1,f\neve,2,h\ndan,1,f\nann,2,b\neve,2,c\n"
    "ann,2,h\nzoe,3,f\nann,2,i\n",
    31: "s,x\n1,0\n2,1\n5,2\n6,3\n9,4\n1,4\n",
}


def asked(folder: Path, number: int, line: str) -> tuple[int, dict[str, Any], str]:
    """Ask the command line about a table; return its exit code, its JSON, and what it complained of."""
    table = folder / "table.csv"
    table.write_text(TABLES[number])
    command, *options = line.split()
    output = [str(folder / "out.csv")] if command == "release" else []
    code, printed, complaint = call([command, str(table), *output, *options, "--json"])
    return code, json.loads(printed) if printed else {}, complaint
