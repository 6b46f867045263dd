const tokens =
  /("[^"\n]*"|'[^'\n]*')|((?:^|\s)(?:#|\/\/) .*$)|\b(from|import|const|new|await|export|curl|True|true)\b/gm;
const looks = ['text-ok', 'text-text3', 'text-accent'];

/** Code with its texts, remarks and keywords told apart. */
export function Highlighted({ code }: { code: string }) {
  // split() gives, for every match, the plain text before it and then each of the three groups.
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
