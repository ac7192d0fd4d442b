# Bash completion of tilewright, and of the names that its commands are installed as. The program itself says what may
# follow (`tilewright complete`, from its table of commands); lines that begin with '*' stand for files with that suffix.
_tilewright()
{
    local word=${COMP_WORDS[COMP_CWORD]} line
    local program=${COMP_WORDS[0]} words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    local name=${program##*/}
    if [[ $name != tilewright ]]; then # cslc is a command of the tilewright that lies beside it
        program=${program%"$name"}tilewright
        words=("$name" "${words[@]}")
    fi
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        '*'*)
            local suffix=${line#\*} file
            while IFS= read -r file; do
                if [[ -d $file ]]; then
                    COMPREPLY+=("$file/")
                elif [[ $file == *"$suffix" ]]; then
                    COMPREPLY+=("$file")
                fi
            done < <(compgen -f -- "$word")
            ;;
        "$word"*) COMPREPLY+=("$line ") ;;
        esac
    done < <("$program" complete "${words[@]}" 2>/dev/null)
    mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | sort -u)
}
complete -o nospace -F _tilewright tilewright cslc cs_python popc poplar_profile_summary
