!<arch>
manifest/       0           0     0     100644  1         `
{
