import { splitList, type Channel } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { ModelName } from '#domain/model/model-name.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { channelTypes } from '#api/channel-types.ts';
import { isWildcard } from '#screens/panel/channel/form/channel-models.ts';
import { testChannel } from './channel-test.ts';
import { latencyText, quoted } from './channel-test-state.ts';

/** Number of models from which the list has a search field. */
const many = 8;

const ChannelCheck = lazy(async () => ({ default: (await import('./channel-check.tsx')).ChannelCheck }));

/** Tests and feature checks of a channel's models. */
export function ChannelTestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation(['channel', 'channelBulk']);
  const [view, setView] = useState<'test' | 'check'>('test');
  const type = useQuery(channelTypes).data?.find((each) => each.type === channel.type);
  const untold = channel.test_model === '' ? `${t('test.choose', { name: channel.name })} ` : '';
  return (
    <Dialog
      title={t(view === 'check' ? 'channelBulk:check.dialog' : 'channelBulk:test.dialog', { name: channel.name })}
      text={view === 'check' ? t('channelBulk:check.text') : untold + t('test.text')}
      onClose={onClose}
    >
      <Segmented
        label={t('channelBulk:check.views')}
        value={view}
        options={[
          { value: 'test', label: t('channelBulk:check.tab') },
          { value: 'check', label: t('channelBulk:check.checkTab') },
        ]}
        onChange={setView}
        className="mb-3"
      />
      {view === 'test' ? (
        <ChannelTests channel={channel} />
      ) : (
        <Suspense>
          <ChannelCheck channel={channel} lists={type?.lists_models ?? false} />
        </Suspense>
      )}
    </Dialog>
  );
}

/** Tests any model of a channel, or a typed one; results stay in the rows. */
function ChannelTests({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channelBulk');
  const [sought, setSought] = useState('');
  const all = splitList(channel.models);
  const wildcards = all.some(isWildcard);
  const typed = sought.trim();
  const models = all.filter((model) => !isWildcard(model) && model.toLowerCase().includes(typed.toLowerCase()));
  const others = typed !== '' && !models.includes(typed) && wildcards ? [typed] : [];
  return (
    <>
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
    </>
  );
}

function ModelTest({ channel, model }: { channel: Channel; model: string }) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  // The row shows the result, so there is no toast.
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => testChannel(client, channel, model),
    meta: { quiet: true },
  });
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 rounded-control px-2 py-1 hover:bg-hover dark:hover:bg-fill">
      <div className="min-w-0 flex-1 text-13">
        <ModelName model={model} copies={false} />
        <div role="status" className="empty:hidden">
          {data && !isPending && <Status kind="answered" text={latencyText(data.ms)} detail={quoted(data.answer)} />}
          {error && !isPending && <p className="text-12 break-words text-bad">{error.message}</p>}
        </div>
      </div>
      <Button
        size="sm"
        icon={Zap}
        saves
        busy={isPending}
        aria-label={t('test.of', { name: model })}
        onClick={() => mutate()}
      >
        {t('test.action')}
      </Button>
    </li>
  );
}
