import { CopyButton } from './copy-button.tsx';

interface Props {
  code: string;
  /** Accessible name, e.g. "curl". */
  label: string;
  /** Text to copy if it differs from the displayed code (the real key instead of the masked one). */
  copy?: string | (() => Promise<string>) | undefined;
}

/** Code with a copy button; only string literals are highlighted. */
export function CodeBlock({ code, label, copy }: Props) {
  return (
    <div className="flex min-w-0 items-start rounded-control border border-line bg-sunk">
      <pre
        tabIndex={0}
        aria-label={label}
        role="group"
        className="min-w-0 flex-1 self-stretch overflow-x-auto rounded-control py-3 pr-2 pl-3.5 font-mono text-[12.5px]/5 text-text"
      >
        <code>{parts(code)}</code>
      </pre>
      {/* Next to the code, not above it: long lines scroll without running under it. */}
      <div className="flex-none p-2 max-sm:p-1">
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
