!<arch>
