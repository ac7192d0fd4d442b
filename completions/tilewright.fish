# Fish completion of tilewright, and of the names that its commands are installed as. The program itself says what may
# follow (`tilewright complete`, from its table of commands); lines that begin with '*' stand for files with that suffix.
function __tilewright_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l program $words[1]
    set -l name (string replace -r '.*/' '' -- $program)
    if test $name = tilewright
        set -e words[1]
    else # cslc is a command of the tilewright that lies beside it
        set program (string replace -r '[^/]*$' tilewright -- $program)
        set words[1] $name
    end
    for line in ($program complete $words 2>/dev/null)
        switch $line
            case '\**'
                __fish_complete_suffix (string sub -s 2 -- $line)
            case '*'
                echo $line
        end
    end
end
for name in tilewright cslc cs_python popc poplar_profile_summary
    complete -c $name -f -a '(__tilewright_candidates)'
end
