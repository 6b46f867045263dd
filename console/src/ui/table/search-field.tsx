import { Search, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';

interface Props {
  value: string;
  /** Searchable fields: "Name, model, tag or base URL". Also the accessible name. */
  placeholder: string;
  onChange: (value: string) => void;
  /** Suggestions while typing; other text is allowed. */
  suggestions?: readonly string[] | undefined;
  className?: string | undefined;
}

const waitMs = 300;

/** A debounced search field. Typing re-renders the field only. */
export function SearchField({ value, placeholder, onChange, suggestions, className }: Props) {
  const { t } = useTranslation('shared');
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The value changed elsewhere: Back, or "Clear filters".
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  const send = (next: string, ms: number) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next.trim()), ms);
  };
  return (
    <div className={cx('relative', className)}>
      <Icon of={Search} className="pointer-events-none absolute top-1/2 left-2.5 z-1 -translate-y-1/2 text-text3" />
      <input
        ref={input}
        type="search"
        enterKeyHint="search"
        aria-label={placeholder}
        placeholder={placeholder}
        value={text}
        list={suggestions && list}
        onChange={(event) => send(event.target.value, waitMs)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') send(text, 0);
          if (event.key === 'Escape' && text !== '') send('', 0);
        }}
        className={cx(
          'box h-8.5 min-h-0 pl-8.5 text-13 max-sm:h-10',
          text !== '' && 'pr-8',
          '[&::-webkit-search-cancel-button]:appearance-none',
        )}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      {text !== '' && (
        <button
          type="button"
          aria-label={t('clearSearch')}
          onClick={() => {
            // The button disappears with the text, so focus the field.
            input.current?.focus();
            send('', 0);
          }}
          className="absolute top-1/2 right-1 grid size-7 -translate-y-1/2 place-items-center rounded-tile text-text2 hover:text-text max-sm:size-10"
        >
          <Icon of={X} size={14} />
        </button>
      )}
    </div>
  );
}
