import type { Log } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Search, X } from 'lucide-react';
import { lazy, Suspense, useDeferredValue, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { pricesQuery } from '#api/model-owners.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { useLatest } from '#ui/basic/use-latest.ts';
import { suggestFilters, type FilterSuggestion } from './suggest-filters.ts';
import { tokensLike, type NamedChannel } from '#screens/panel/log/log-api.ts';

const loadList = () => import('./log-suggestions.tsx');
const noTokens: { id: number; name: string; key: string }[] = [];
const LogSuggestions = lazy(async () => ({ default: (await loadList()).LogSuggestions }));

interface Props {
  admin: boolean;
  /** Rows on the page and channels: names for completion. */
  rows: readonly Log[];
  channels: readonly NamedChannel[];
  onChoose: (choice: FilterSuggestion) => void;
}

/** Turns typed text into one of the filters: a model, a token, a request id … */
export function LogSearchField({ admin, rows, channels, onChoose }: Props) {
  const { t } = useTranslation(['log', 'shared']);
  const prices = useQuery(pricesQuery).data;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  // Typing stays responsive; the choices follow.
  const sought = useDeferredValue(text);
  const tokens = useQuery(tokensLike(open ? sought.trim() : '', admin)).data ?? noTokens;
  const known = useMemo(
    () => ({ rows, models: prices?.map(({ model }) => model) ?? [], channels, tokens }),
    [rows, prices, channels, tokens],
  );
  const choices = useMemo(() => suggestFilters(sought, admin, known), [sought, admin, known]);
  const shown = open && choices.length > 0;

  const type = (next: string) => {
    setText(next);
    setActive(0);
    setOpen(true);
  };
  const choose = (choice: FilterSuggestion) => {
    onChoose(choice);
    type('');
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    // Enter may come before the list has updated: the typed text counts.
    const meant = text === sought ? choices : suggestFilters(text, admin, known);
    const last = meant.length - 1;
    const target = { ArrowDown: active >= last ? 0 : active + 1, ArrowUp: active <= 0 ? last : active - 1 }[event.key];
    const choice = meant[active];
    if (target !== undefined && meant.length > 0) {
      setActive(shown ? target : active);
      setOpen(true);
    } else if (event.key === 'Enter' && choice) choose(choice);
    else if (event.key === 'Escape' && text !== '') type('');
    else if (event.key === 'Tab') return setOpen(false);
    else return;
    event.preventDefault();
  };
  const latest = useLatest({ choose, close: () => setOpen(false) });
  const list = useMemo(
    () => ({
      onChoose: (choice: FilterSuggestion) => latest.current.choose(choice),
      onOutside: () => latest.current.close(),
    }),
    [latest],
  );
  return (
    <div ref={box} className="relative" onFocus={() => void loadList()}>
      <Icon of={Search} className="pointer-events-none absolute top-1/2 left-2.5 z-1 -translate-y-1/2 text-text3" />
      <input
        ref={input}
        type="text"
        data-search
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={id}
        aria-activedescendant={shown ? `${id}-${active}` : undefined}
        aria-label={t(admin ? 'findAdmin' : 'find')}
        placeholder={t(admin ? 'findAdmin' : 'find')}
        value={text}
        onChange={(event) => type(event.target.value)}
        onFocus={() => setOpen(true)}
        // Also when a dialog opens above the page.
        onBlur={({ relatedTarget }) => relatedTarget && setOpen(false)}
        onKeyDown={onKeyDown}
        className="box h-8.5 min-h-0 pr-8 pl-8.5 text-13 text-ellipsis max-sm:h-10"
      />
      {text !== '' && (
        <button
          type="button"
          aria-label={t('shared:clearSearch')}
          onClick={() => {
            type('');
            input.current?.focus();
          }}
          className="absolute top-1/2 right-1 grid size-7 -translate-y-1/2 place-items-center rounded-tile text-text2 hover:text-text max-sm:size-10"
        >
          <Icon of={X} size={14} />
        </button>
      )}
      {shown && (
        <Suspense>
          <LogSuggestions {...list} id={id} anchor={box} choices={choices} active={active} onActive={setActive} />
        </Suspense>
      )}
    </div>
  );
}
