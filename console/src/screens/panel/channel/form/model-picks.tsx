import { Minus, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';

interface Props {
  title: string;
  action: string;
  names: readonly string[];
  kind: 'add' | 'remove';
  onPick: (names: readonly string[]) => void;
}

/** Number of names from which they can be searched. */
const many = 16;

/** Names to take one by one or all at once. */
export function ModelPicks({ title, action, names, kind, onPick }: Props) {
  const { t } = useTranslation('channelForm');
  const [sought, setSought] = useState('');
  const shown = names.filter((name) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  const narrowed = shown.length < names.length;
  return (
    <div role="group" aria-label={title} className="rounded-control border border-line2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-3 py-1.5">
        <span className="font-title text-13">{title}</span>
        {names.length > many && (
          <input
            type="search"
            className="box h-7 min-h-0 max-w-44 flex-1 text-13 max-sm:h-10"
            aria-label={t('models.search')}
            placeholder={t('models.search')}
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
        )}
        <Button size="sm" className="ml-auto" disabled={shown.length === 0} onClick={() => onPick(shown)}>
          {narrowed ? t(kind === 'add' ? 'models.addAll' : 'models.removeAll', { count: shown.length }) : action}
        </Button>
      </div>
      <ul className="flex max-h-36 flex-wrap gap-1.5 overflow-y-auto p-2">
        {shown.map((name) => (
          <li key={name} className="min-w-0">
            <button
              type="button"
              aria-label={t(kind === 'add' ? 'models.addOne' : 'models.removeOne', { name })}
              onClick={() => onPick([name])}
              className="inline-flex h-6 max-w-full items-center gap-1 rounded-tile border border-line2 px-2 text-12 text-text2 hover:bg-hover hover:text-text max-sm:h-10 max-sm:text-13 dark:hover:bg-fill"
            >
              <Icon of={kind === 'add' ? Plus : Minus} size={12} />
              <span className="truncate">{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
