import { Plus } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import type { FieldAria } from '#ui/form/field.tsx';
import { ChatRow } from './chat-row.tsx';
import { linksIn, nextId, type EditedLink } from './chat-rows.ts';

interface Props {
  text: string;
  aria: FieldAria;
  onChange: (text: string) => void;
}

/** Editor of the chat links: name, template, order and where each is shown, with a preview and a test. */
export function ChatEditor({ text, aria, onChange }: Props) {
  const { t } = useTranslation('setting');
  const links = linksIn(text);
  const put = (next: readonly EditedLink[]) => onChange(JSON.stringify(next));
  return (
    <div id={aria.id} role="group" aria-describedby={aria['aria-describedby']} tabIndex={-1} className="outline-none">
      <ul className="grid grid-cols-1 gap-3">
        {links.map((link, at) => (
          <ChatRow
            key={at}
            link={link}
            onChange={(next) => put(links.map((each, index) => (index === at ? next : each)))}
            onRemove={() => put(links.filter((_, index) => index !== at))}
          />
        ))}
      </ul>
      {links.length === 0 && <p className="text-13 text-text3">{t('chatEmpty')}</p>}
      <Button
        icon={Plus}
        className="mt-2.5"
        onClick={() => put([...links, { id: nextId(links), name: '', url: '', show: true, sort: 0 }])}
      >
        {t('chatAdd')}
      </Button>
    </div>
  );
}
