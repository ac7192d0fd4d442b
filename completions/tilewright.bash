# Bash completion of tilewright. The program itself says what may follow (`tilewright complete`, from its table of
# commands); lines that begin with '*' stand for files with that suffix.
_tilewright()
{
    local word=${COMP_WORDS[COMP_CWORD]} line
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
    done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | sort -u)
}
complete -o nospace -F _tilewright tilewright
