import { useState, type ReactNode } from 'react';
import { cx } from '#ui/basic/cx.ts';
import type { FieldAria } from './field.tsx';

export interface NumberBoxProps {
  /** `data-first-focus`: where a drawer puts the focus when it opens. */
  aria: FieldAria & { 'aria-label'?: string; 'data-first-focus'?: true };
  inputRef: (element: HTMLInputElement | null) => void;
  value: number | null;
  onChange: (value: number | null) => void;
  onBlur: () => void;
  placeholder?: string | undefined;
  whole?: boolean | undefined;
  disabled?: boolean | undefined;
  before?: ReactNode;
  after?: ReactNode;
  /** Left-aligned; numbers are right-aligned by default. */
  left?: boolean | undefined;
}

/**
 * The input of `FormNumber` for use without its field, e.g. one value in two units. Not Base UI's number field, which
 * steps with ↑ ↓ and rejects letters while typing; this one keeps the text until it can be parsed.
 */
export function NumberBox({
  aria,
  inputRef,
  value,
  onChange,
  onBlur,
  placeholder,
  whole,
  disabled,
  before,
  after,
  left,
}: NumberBoxProps) {
  const [text, setText] = useState(plain(value));
  const [known, setKnown] = useState(value);
  // Incomplete numbers ("1.", "-") exist only as text; a value set from outside replaces them.
  if (value !== known) {
    setKnown(value);
    if (value !== parse(text)) setText(plain(value));
  }
  const type = (next: string) => {
    setText(next);
    const parsed = parse(next);
    setKnown(parsed);
    onChange(parsed);
  };
  return (
    <div
      className="box flex items-center gap-2"
      {...(disabled && { 'data-disabled': true })}
      {...(aria['aria-invalid'] && { 'data-invalid': true })}
    >
      {before && <span className="text-text3">{before}</span>}
      <input
        {...aria}
        ref={inputRef}
        type="text"
        inputMode={whole ? 'numeric' : 'decimal'}
        autoComplete="off"
        placeholder={placeholder}
        disabled={disabled}
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={() => {
          setText(plain(parse(text)));
          onBlur();
        }}
        className={cx(
          'h-[34px] min-w-0 flex-1 bg-transparent tabular-nums outline-none max-sm:h-[42px]',
          !left && 'text-right max-sm:text-left',
        )}
      />
      {after !== undefined && <span className="flex-none text-12 text-text3 tabular-nums">{after}</span>}
    </div>
  );
}

/** Without exponent: 1e-7 → 0.0000001. */
const plain = (value: number | null): string =>
  value === null ? '' : value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 12 });

/** Parses typed text; allows group separators, returns null for anything else that is not a number. */
function parse(text: string): number | null {
  const cleaned = text.replaceAll(/[,\s_]/g, '').replace('。', '.');
  if (cleaned === '') return null;
  const value = Number(cleaned);
  return Number.isFinite(value) ? value : null;
}
