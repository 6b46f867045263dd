const tokens =
  /("[^"\n]*"|'[^'\n]*')|((?:^|\s)(?:#|\/\/) .*$)|\b(from|import|const|new|await|export|curl|True|true)\b/gm;
const looks = ['text-ok', 'text-text3', 'text-accent'];

/** Code with highlighted strings, comments and keywords. */
export function Highlighted({ code }: { code: string }) {
  // split() returns the plain text before every match, then the three groups.
  return (
    <code>
      {code.split(tokens).map((piece, index) => {
        const look = looks[(index % 4) - 1];
        return look && piece ? (
          <span key={index} className={look}>
            {piece}
          </span>
        ) : (
          piece
        );
      })}
    </code>
  );
}
