import { useId, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ValueChip, type ValueWarning } from '#ui/basic/chip.tsx';
import type { FieldAria } from './field.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';

export interface ChipsChoice {
  /** Values offered while typing. */
  suggestions?: readonly string[] | undefined;
  /** Only suggestions may be chosen. */
  strict?: boolean | undefined;
  placeholder?: string | undefined;
  /** A warning about a value, e.g. that it has no price. */
  markOf?: ((value: string) => ValueWarning | undefined) | undefined;
}

interface Props extends ChipsChoice {
  aria: FieldAria;
  inputRef?: ((element: HTMLInputElement | null) => void) | undefined;
  values: readonly string[];
  onChange: (values: string[]) => void;
  onBlur?: (() => void) | undefined;
  disabled?: boolean | undefined;
}

/** Splits text at commas of any script, tabs and line breaks; drops invisible characters and empty parts. */
export const splitValues = (text: string): string[] =>
  text
    .replace(/\p{Cf}/gu, '')
    .split(/[,，、﹐﹑､،\n\r\t]+/)
    .map((part) => part.trim())
    .filter(Boolean);

/** The input of `FormChips` for use without a form. Not Base UI's combobox, which does not take free text or pasted lists. */
export function ChipsBox({
  aria,
  inputRef,
  values,
  onChange,
  onBlur,
  suggestions,
  strict,
  placeholder,
  markOf,
  disabled,
}: Props) {
  const { t } = useTranslation('shared');
  const [text, setText] = useState('');
  const [unfolded, setUnfolded] = useState(false);
  const list = useId();
  const limit = useIsPhone() ? 3 : 9;
  const folded = !unfolded && values.length > limit + 1;
  const shown = folded ? values.slice(0, limit) : values;
  const add = (more: string[]) => {
    const allowed = strict && suggestions ? more.filter((each) => suggestions.includes(each)) : more;
    setText('');
    if (allowed.some((each) => !values.includes(each))) onChange([...new Set([...values, ...allowed])]);
  };
  const type = (next: string) => {
    // A comma completes a value; so does choosing a suggestion.
    if (
      /[,，]/.test(next) ||
      (suggestions?.includes(next) && !suggestions.some((each) => each !== next && each.startsWith(next)))
    )
      add(splitValues(next));
    else setText(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      add(splitValues(text));
    }
    if (event.key === 'Backspace' && text === '' && values.length > 0) onChange(values.slice(0, -1));
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = splitValues(event.clipboardData.getData('text'));
    if (pasted.length < 2) return;
    event.preventDefault();
    add(pasted);
  };
  return (
    <div
      className="box flex flex-wrap items-center gap-1.5 py-1.5 pl-1.5"
      {...(disabled && { 'data-disabled': true })}
      {...(aria['aria-invalid'] && { 'data-invalid': true })}
    >
      {shown.map((value) => (
        <ValueChip
          key={value}
          mark={markOf?.(value)}
          label={t('removeValue', { name: value })}
          onRemove={disabled ? undefined : () => onChange(values.filter((each) => each !== value))}
        >
          {value}
        </ValueChip>
      ))}
      {values.length > limit + 1 && (
        <button
          type="button"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(folded)}
          className="touch h-6 rounded-tile border border-line2 px-2 text-12 text-text2 hover:text-text max-sm:h-8"
        >
          {folded ? t('valuesMore', { count: values.length - limit }) : t('valuesLess')}
        </button>
      )}
      <input
        {...aria}
        ref={inputRef}
        list={suggestions ? list : undefined}
        value={text}
        disabled={disabled}
        autoComplete="off"
        placeholder={placeholder ?? t('addValue')}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => {
          add(splitValues(text));
          onBlur?.();
        }}
        className="h-6 min-w-24 flex-1 bg-transparent px-1 text-13 outline-none max-sm:h-8 max-sm:text-16"
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions
            .filter((each) => !values.includes(each))
            .map((each) => (
              <option key={each} value={each} />
            ))}
        </datalist>
      )}
    </div>
  );
}
