import { CopyButton } from './copy-button.tsx';

interface Props {
  code: string;
  /** Accessible name, e.g. "curl". */
  label: string;
  /** What is copied when it differs from what is shown (a real key instead of a masked one). */
  copy?: string | (() => Promise<string>) | undefined;
}

/** Code with copy; only what stands in quotes is coloured. */
export function CodeBlock({ code, label, copy }: Props) {
  return (
    <div className="relative min-w-0">
      <pre
        tabIndex={0}
        aria-label={label}
        role="region"
        className="overflow-x-auto rounded-control border border-line bg-sunk py-3 pr-14 pl-3.5 font-mono text-[12.5px]/5 text-text"
      >
        <code>{parts(code)}</code>
      </pre>
      <div className="absolute top-2 right-2 rounded-[7px] bg-sunk shadow-[-8px_0_8px_var(--color-sunk)]">
        <CopyButton text={copy ?? code} name={label} />
      </div>
    </div>
  );
}

const quoted = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*')/g;

function parts(code: string) {
  return code.split(quoted).map((part, index) =>
    index % 2 === 1 ? (
      <span key={index} className="text-ok">
        {part}
      </span>
    ) : (
      part
    ),
  );
}
