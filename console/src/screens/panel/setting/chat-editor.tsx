import { Plus, Trash2 } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import type { FieldAria } from '#ui/form/field.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { linksIn, type EditedLink } from './chat-rows.ts';

interface Props {
  text: string;
  aria: FieldAria;
  onChange: (text: string) => void;
}

export function ChatEditor({ text, aria, onChange }: Props) {
  const { t } = useTranslation('setting');
  const links = linksIn(text);
  const put = (next: readonly EditedLink[]) => onChange(JSON.stringify(next));
  const change = (at: number, part: Partial<EditedLink>) =>
    put(links.map((link, index) => (index === at ? { ...link, ...part } : link)));
  return (
    <div id={aria.id} role="group" aria-describedby={aria['aria-describedby']} tabIndex={-1} className="outline-none">
      <ul className="grid grid-cols-1 gap-2">
        {links.map((link, at) => (
          <li
            key={at}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto_76px_auto] items-center gap-2 max-sm:grid-cols-[minmax(0,1fr)_auto_72px_auto] max-sm:border-b max-sm:border-line max-sm:pb-2"
          >
            <input
              className="box"
              aria-label={t('chatName')}
              placeholder={t('chatName')}
              value={link.name}
              onChange={(event) => change(at, { name: event.target.value })}
            />
            <input
              className="box font-mono text-13 max-sm:order-first max-sm:col-span-full"
              aria-label={t('chatUrl')}
              placeholder="https://chat.example/#/?key={key}&url={server}"
              spellCheck={false}
              value={link.url}
              onChange={(event) => change(at, { url: event.target.value })}
            />
            <label className="flex items-center gap-1.5 px-1 text-13 text-text2">
              <Switch checked={link.show} onChange={(show) => change(at, { show })} />
              {t('chatShow')}
            </label>
            <input
              className="box text-right tabular-nums"
              aria-label={t('chatSort')}
              title={t('chatSort')}
              inputMode="numeric"
              value={link.sort}
              onChange={(event) => change(at, { sort: Number(event.target.value.replaceAll(/\D/g, '').slice(0, 6)) })}
            />
            <IconButton
              label={t('chatRemove', { name: link.name })}
              icon={Trash2}
              onClick={() => put(links.filter((_, index) => index !== at))}
            />
          </li>
        ))}
      </ul>
      {links.length === 0 && <p className="text-13 text-text3">{t('chatEmpty')}</p>}
      <Button
        icon={Plus}
        className="mt-2.5"
        onClick={() => put([...links, { name: '', url: '', show: true, sort: 0 }])}
      >
        {t('chatAdd')}
      </Button>
    </div>
  );
}
