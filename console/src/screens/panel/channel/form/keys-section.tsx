import { channelKeyApi, channelStatus, type Channel, type ChannelKey } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2, Zap } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { Field } from '#ui/form/field.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { refreshChannels } from '#screens/panel/channel/channel-cache.ts';
import { channelKeys } from '#screens/panel/channel/channel-more-api.ts';
import { statusKind } from '#screens/panel/channel/list/channel-status.tsx';
import { latencyText } from '#screens/panel/channel/checks/channel-test-state.ts';

/** The keys of a channel with their state; changes apply at once. */
export function KeysSection({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channelForm');
  const keys = useQuery(channelKeys(channel.id));
  const [removing, setRemoving] = useState<ChannelKey>();
  const { key_count: count, keys_off: off } = channel;
  const text = [t('form.keysText', { count }), off > 0 ? t('form.keysOff', { count: off }) : ''].filter(Boolean);
  return (
    <DrawerSection title={t('form.keysTitle')} text={text.join(' · ')} folded={count === 1}>
      {keys.error && <Note tone="bad">{keys.error.message}</Note>}
      {!keys.data && !keys.error && <Skeleton width="100%" />}
      {keys.data && (
        <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-control border border-line2">
          {keys.data.map((each) => (
            <KeyRow
              key={each.id}
              channel={channel}
              item={each}
              onRemove={keys.data.length > 1 ? () => setRemoving(each) : undefined}
            />
          ))}
        </ul>
      )}
      <AddKeys channel={channel} />
      {removing && <RemoveKey channel={channel} item={removing} onClose={() => setRemoving(undefined)} />}
    </DrawerSection>
  );
}

interface RowProps {
  channel: Channel;
  item: ChannelKey;
  onRemove: (() => void) | undefined;
}

function KeyRow({ channel, item, onRemove }: RowProps) {
  const { t } = useTranslation('channelForm');
  const client = useQueryClient();
  const { id: key, key_hint: hint, status, reason, last_error: error, response_time: ms } = item;
  const params = { id: channel.id, key };
  const turn = useMutation({
    mutationFn: (on: boolean) => call(channelKeyApi.update, { params, body: { status: on ? 1 : 2 } }),
    onSettled: () => refreshChannels(client),
  });
  const test = useMutation({
    mutationFn: () => call(channelKeyApi.test, { params, query: { model: '' } }),
    meta: { quiet: true },
    onSuccess: ({ model, ms: took }) => toast.info(t('form.keyAnswered', { hint, model, time: latencyText(took) })),
    onError: ({ message }) => toast.error(t('form.keyFailed', { hint }), { detail: message }),
    onSettled: () => refreshChannels(client),
  });
  const on = status === channelStatus.enabled;
  const detail = error || reason || (ms > 0 ? latencyText(ms) : '');
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5 text-13">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-mono">{hint}</span>
        {detail && (
          <span className={error ? 'block text-12 break-words text-bad' : 'text-12 text-text2'}>{detail}</span>
        )}
      </span>
      <Status kind={statusKind(status)} />
      <Switch
        saves
        label={t('form.keyOn', { hint })}
        checked={turn.isPending ? (turn.variables ?? on) : on}
        onChange={turn.mutate}
      />
      <span className="flex">
        <IconButton
          label={t('form.keyTest', { hint })}
          icon={Zap}
          saves
          size="sm"
          busy={test.isPending}
          onClick={() => test.mutate()}
        />
        <IconButton
          label={t('form.keyRemove', { hint })}
          icon={Trash2}
          saves
          size="sm"
          disabled={!onRemove}
          onClick={() => onRemove?.()}
        />
      </span>
    </li>
  );
}

function AddKeys({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channelForm');
  const client = useQueryClient();
  const [text, setText] = useState('');
  const add = useMutation({
    mutationFn: () => call(channelKeyApi.add, { params: { id: channel.id }, body: { keys: text } }),
    meta: { quiet: true },
    onSuccess: (counts) => {
      setText('');
      toast.success(t('form.keysAdded', counts));
    },
    onSettled: () => refreshChannels(client),
  });
  return (
    <div className="grid grid-cols-1 gap-2">
      <Field label={t('form.keysAdd')} hint={t('form.keysAddHint')} error={add.error?.message}>
        {(aria) => (
          <textarea
            {...aria}
            rows={2}
            spellCheck={false}
            autoComplete="off"
            placeholder={t('form.keysPlaceholder')}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="box block resize-y py-2 font-mono text-13/5"
          />
        )}
      </Field>
      {text.trim() !== '' && (
        <Button className="w-fit" saves busy={add.isPending} onClick={() => add.mutate()}>
          {t('form.keysAdd')}
        </Button>
      )}
    </div>
  );
}

function RemoveKey({ channel, item, onClose }: { channel: Channel; item: ChannelKey; onClose: () => void }) {
  const { t } = useTranslation('channelForm');
  const client = useQueryClient();
  const values = { hint: item.key_hint };
  return (
    <Confirm
      title={t('form.keyRemoveTitle', values)}
      text={t('form.keyRemoveText')}
      action={t('form.keyRemoveAction')}
      onConfirm={async () => {
        await call(channelKeyApi.remove, { params: { id: channel.id, key: item.id } }).catch((error: Error) => {
          toast.error(error.message);
          throw error;
        });
        void refreshChannels(client);
      }}
      onClose={onClose}
    />
  );
}
