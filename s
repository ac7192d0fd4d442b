break twice
break left.csl:24 if turns == 2
break sum at 1,0
run
bt
p data
p table[1,2]
p all
p pointer[1]
p data@2
p table[0:2,1]
p/x table
p ready
c
c
c
delete 1
c
p turns
p twice
info routes 1,0
info dsrs 1,0
info fifos 1,0
info operations 1,0
info variables
c
why 1,0
why 0,0
info pes
info queues 1,0
info flight 1,0
