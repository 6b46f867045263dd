import { chatLinkProblem } from '@relay-hub/contract';
import { ExternalLink, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { chatAddress, destinationOf, hasKeyInQuery, isWeb, openAddress } from '#api/chat-links.ts';
import { useServerAddress, useSiteName } from '#api/site.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { FieldBelow } from '#ui/form/field.tsx';
import { Switch } from '#ui/form/switch.tsx';
import type { EditedLink } from './chat-rows.ts';

interface Props {
  link: EditedLink;
  onChange: (link: EditedLink) => void;
  onRemove: () => void;
}

/** Stands for a key in the preview and the test: no real key is sent anywhere. */
const sampleKey = 'sk-example';

const part = 'flex min-h-9 items-center gap-1.5 text-13 text-text2 max-sm:min-h-10';

export function ChatRow({ link, onChange, onRemove }: Props) {
  const { t } = useTranslation(['setting', 'shared']);
  const id = useId();
  const server = useServerAddress();
  const site = useSiteName();
  const { id: rowId, name, url, show, sort, embed } = link;
  // A new row is empty, which needs no message yet.
  const problem = url === '' ? undefined : chatLinkProblem({ url, ...(embed && { embed }) });
  const address = chatAddress(link, { server, site, key: sampleKey, model: 'gpt-4o-mini' });
  const test = async () => {
    if (!(await openAddress(async () => address, isWeb(url)))) toast.warning(t('shared:tabBlocked'));
  };
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto] items-start gap-x-2 gap-y-1.5 border-b border-line pb-3 last:border-b-0 last:pb-0 max-sm:grid-cols-[minmax(0,1fr)_auto]">
      <input
        className="box"
        aria-label={t('chatName')}
        placeholder={t('chatName')}
        value={name}
        onChange={(event) => onChange({ ...link, name: event.target.value })}
      />
      <div className="min-w-0 max-sm:order-1 max-sm:col-span-full">
        <input
          className="box font-mono text-13"
          aria-label={t('chatUrl')}
          aria-describedby={problem && `${id}-below`}
          aria-invalid={problem ? true : undefined}
          placeholder="https://chat.example/#/?key={key}&url={server}"
          spellCheck={false}
          value={url}
          onChange={(event) => onChange({ ...link, url: event.target.value })}
        />
        <FieldBelow id={`${id}-below`} error={problem && t(`chatProblems.${problem}`)} />
      </div>
      <IconButton label={t('chatRemove', { name })} icon={Trash2} onClick={onRemove} />
      <div className="col-span-full flex flex-wrap items-center gap-x-5 gap-y-1 max-sm:order-2">
        <label className={part}>
          <Switch checked={show} onChange={(next) => onChange({ ...link, show: next })} />
          {t('chatShow')}
        </label>
        <label className={part}>
          <Switch
            checked={embed === true}
            onChange={(next) => onChange({ id: rowId, name, url, show, sort, ...(next && { embed: true }) })}
          />
          {t('chatEmbed')}
        </label>
        <label className={part}>
          {t('chatSort')}
          <input
            className="box h-8! min-h-0! w-16! text-right tabular-nums max-sm:h-10!"
            inputMode="numeric"
            value={sort}
            onChange={(event) =>
              onChange({ ...link, sort: Number(event.target.value.replaceAll(/\D/g, '').slice(0, 6)) })
            }
          />
        </label>
        {!problem && url !== '' && (
          <Button size="sm" icon={ExternalLink} onClick={() => void test()} aria-label={t('chatTestOf', { name })}>
            {t('chatTest')}
          </Button>
        )}
      </div>
      {!problem && url !== '' && (
        <p className="col-span-full text-12 break-all text-text3 max-sm:order-3">
          {t('chatPreview', { place: destinationOf(url) })} · <span className="font-mono">{address}</span>
          {hasKeyInQuery(url) && <span className="block text-warn">{t('chatKeyInQuery')}</span>}
        </p>
      )}
    </li>
  );
}
