"""The completion scripts for bash, zsh and fish, which call ``completing.py``.

No script evaluates a completion: it is read as a line, and only put into an array.
"""

BASH = r"""_clew_completion() {
    local kind word
    COMPREPLY=()
    {
        IFS= read -r kind
        if [[ $kind == files ]]; then
            compopt -o default
        else
            while IFS= read -r word; do COMPREPLY+=("$word"); done
        fi
    } < <(_CLEW_COMPLETE=bash "$1" "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -o nosort -F _clew_completion clew
"""

ZSH = r"""#compdef clew
_clew_completion() {
    local -a lines values shown
    local line printed
    printed=$(
        _CLEW_COMPLETE=zsh "${(Q)words[1]}" "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null
    )
    lines=("${(@f)printed}")
    if [[ $lines[1] == files ]]; then
        _files
        return
    fi
    for line in "${(@)lines[2,-1]}"; do
        values+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }")
    done
    (( $#values )) && compadd -U -V clew -d shown -a values
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _clew_completion "$@"
else
    compdef _clew_completion clew
fi
"""

FISH = r"""function __clew_completion
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (env _CLEW_COMPLETE=fish $words[1] $words "$current" 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path "$current"
    else if set -q lines[2]
        printf '%s\n' $lines[2..-1]
    end
end
complete --command clew --no-files --keep-order --arguments '(__clew_completion)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
