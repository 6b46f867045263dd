import type { Log } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Search, X } from 'lucide-react';
import { lazy, Suspense, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { pricesQuery } from '#api/model-owners.ts';
import { Icon } from '#shared/icon.tsx';
import { findChoices, type FindChoice } from './find-choices.ts';
import type { ChannelName } from './log-api.ts';

const loadList = () => import('./log-find-list.tsx');
const LogFindList = lazy(async () => ({ default: (await loadList()).LogFindList }));

interface Props {
  admin: boolean;
  /** The rows on the page and the channels: names that can be completed. */
  rows: readonly Log[];
  channels: readonly ChannelName[];
  onChoose: (choice: FindChoice) => void;
}

/** Turns what is typed into one of the filters: a model, a token, a request … */
export function LogFind({ admin, rows, channels, onChoose }: Props) {
  const { t } = useTranslation(['log', 'shared']);
  const models = useQuery({ ...pricesQuery, select: (prices) => prices.map(({ model }) => model) }).data ?? [];
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const choices = findChoices(text, admin, { rows, models, channels });
  const shown = open && choices.length > 0;

  const type = (next: string) => {
    setText(next);
    setActive(0);
    setOpen(true);
  };
  const choose = (choice: FindChoice) => {
    onChoose(choice);
    type('');
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = choices.length - 1;
    const target = { ArrowDown: active >= last ? 0 : active + 1, ArrowUp: active <= 0 ? last : active - 1 }[event.key];
    const choice = choices[active];
    if (target !== undefined && choices.length > 0) {
      setActive(shown ? target : active);
      setOpen(true);
    } else if (event.key === 'Enter' && choice) choose(choice);
    else if (event.key === 'Escape' && text !== '') type('');
    else if (event.key === 'Tab') return setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={box} className="relative" onFocus={() => void loadList()}>
      <Icon of={Search} className="pointer-events-none absolute top-1/2 left-2.5 z-1 -translate-y-1/2 text-text3" />
      <input
        ref={input}
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={list}
        aria-activedescendant={shown ? `${list}-${active}` : undefined}
        aria-label={t(admin ? 'findAdmin' : 'find')}
        placeholder={t(admin ? 'findAdmin' : 'find')}
        value={text}
        onChange={(event) => type(event.target.value)}
        onFocus={() => setOpen(true)}
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
          <LogFindList
            id={list}
            anchor={box}
            choices={choices}
            active={active}
            onActive={setActive}
            onChoose={choose}
            onOutside={() => setOpen(false)}
          />
        </Suspense>
      )}
    </div>
  );
}
