/**
 * What may be offered to a shell, and what makes bash complete vmform. The latter is ours, since
 * what `compgen -W` is given it expands as bash expands a command line: a key of an object, which a
 * server may have named, would be run.
 */

export const bashCompletion = String.raw`# bash completion for vmform

__vmform_complete() {
    local cur words cword typed plain offered
    _get_comp_words_by_ref -n "=:" cur words cword
    # Nothing of the line is evaluated; what was completed before has been escaped.
    typed=\${cur//\\/}
    typed=\${typed#[\'\"]}
    COMPREPLY=()
    while IFS= read -r plain; do
        [[ $plain == :* ]] && continue
        plain=\${plain%%$'\t'*}
        # Within quotes it is taken as it is, elsewhere each sign is escaped.
        offered=$plain
        [[ $cur == [\'\"]* ]] || printf -v offered '%q' "$plain"
        # readline replaces what stands behind the equals sign.
        [[ $plain == "\${typed#--*=}"* || $plain == "$typed"* ]] && COMPREPLY+=("$offered")
    done < <(vmform complete -- "\${words[@]:1:cword-1}" "$typed" 2>/dev/null)
    return 0
}

complete -F __vmform_complete vmform
`.replaceAll("\\${", "${");

const harmless = /^[\p{L}\p{M}\p{N}_.\-[\]"/@+,=]+$/u;

/**
 * Keys may come from servers, and some shells put what is offered on the line as it is: what any of
 * them would run, expand or end a word at is not offered.
 */
export function isHarmless(offered: string): boolean {
  return harmless.test(offered);
}
