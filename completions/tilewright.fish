# Fish completion of tilewright. The program itself says what may follow (`tilewright complete`, from its table of
# commands); lines that begin with '*' stand for files with that suffix.
function __tilewright_candidates
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete $words[2..-1] 2>/dev/null)
        switch $line
            case '\**'
                __fish_complete_suffix (string sub -s 2 -- $line)
            case '*'
                echo $line
        end
    end
end
complete -c tilewright -f -a '(__tilewright_candidates)'
