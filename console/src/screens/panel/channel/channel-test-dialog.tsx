import { splitList, type Channel } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#shared/button.tsx';
import { Dialog } from '#shared/dialog.tsx';
import { MiddleCut } from '#shared/middle-cut.tsx';
import { Status } from '#shared/status.tsx';
import { isWildcard } from './channel-models.ts';
import { testChannel } from './channel-test.ts';
import { latencyText, quoted } from './channel-test-state.ts';

/** From here on the list can be searched. */
const many = 8;

/** Tests any of a channel's models, or one that is typed in; the results stay beside them. */
export function ChannelTestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation('channel');
  const [sought, setSought] = useState('');
  const all = splitList(channel.models);
  const wildcards = all.some(isWildcard);
  const typed = sought.trim();
  const models = all.filter((model) => !isWildcard(model) && model.toLowerCase().includes(typed.toLowerCase()));
  const others = typed !== '' && !models.includes(typed) && wildcards ? [typed] : [];
  return (
    <Dialog
      title={t('test.dialog', { name: channel.name })}
      text={
        channel.test_model === '' ? `${t('test.choose', { name: channel.name })} ${t('test.text')}` : t('test.text')
      }
      onClose={onClose}
    >
      {(all.length > many || wildcards) && (
        <input
          type="search"
          className="box mb-2"
          aria-label={t('test.search')}
          placeholder={t(wildcards ? 'test.searchOrType' : 'test.search')}
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      )}
      <ul className="-mx-2 max-h-[min(420px,55dvh)] overflow-y-auto">
        {[...others, ...models].map((model) => (
          <ModelTest key={model} channel={channel} model={model} />
        ))}
      </ul>
      {models.length === 0 && others.length === 0 && <p className="py-2 text-13 text-text2">{t('test.noMatch')}</p>}
    </Dialog>
  );
}

function ModelTest({ channel, model }: { channel: Channel; model: string }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  // The result stands in the row, so that no toast has to tell it.
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => testChannel(client, channel, model),
    meta: { quiet: true },
  });
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 rounded-control px-2 py-1 hover:bg-hover dark:hover:bg-fill">
      <div className="min-w-0 flex-1 text-13">
        <MiddleCut text={model} />
        <div role="status" className="empty:hidden">
          {data && !isPending && <Status kind="answered" text={latencyText(data.ms)} detail={quoted(data.answer)} />}
          {error && !isPending && <p className="text-12 break-words text-bad">{error.message}</p>}
        </div>
      </div>
      <Button size="sm" icon={Zap} busy={isPending} aria-label={t('test.of', { name: model })} onClick={() => mutate()}>
        {t('test.action')}
      </Button>
    </li>
  );
}
