import type { Channel, ChannelType } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ExternalLink, Zap } from 'lucide-react';
import { useMemo, useRef, useState, type MouseEvent, type SubmitEvent } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '#shared/button.tsx';
import { countDirty, EditDrawer } from '#shared/edit-drawer.tsx';
import { MiddleCut } from '#shared/middle-cut.tsx';
import { Status } from '#shared/status.tsx';
import { toast } from '#shared/toast.ts';
import { channelResolver, keysIn, type ChannelBody, type ChannelValues } from './channel-values.ts';
import { modelToTest } from './channel-models.ts';
import { statusKind } from './channel-status.tsx';
import { testMany } from './channel-test.ts';
import { ChannelTestNote, useFormTest } from './channel-test-note.tsx';
import { AdvancedSection } from './form-advanced.tsx';
import { ConnectionSection } from './form-connection.tsx';
import { ModelsSection } from './form-models.tsx';
import { RoutingSection } from './form-routing.tsx';
import { useSaveChannel } from './use-save-channel.ts';
import { useTypeDefaults } from './use-type-defaults.ts';

interface Props {
  title: string;
  types: readonly ChannelType[];
  /** What is edited; absent for a new one. */
  channel: Channel | undefined;
  /** What a new one was copied from. */
  copied: Channel | undefined;
  start: ChannelValues;
  onMade: (channel: Channel) => void;
  onClose: () => void;
}

export function ChannelForm({ title, types, channel, copied, start, onMade, onClose }: Props) {
  const { t } = useTranslation('channel');
  const client = useQueryClient();
  const isNew = !channel;
  const resolver = useMemo(() => channelResolver(types, isNew), [types, isNew]);
  const form = useForm<ChannelValues, unknown, ChannelBody>({
    resolver,
    defaultValues: start,
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const [several, setSeveral] = useState(false);
  const [chosenType, key, models] = useWatch({ control, name: ['type', 'key', 'models'] });
  const type = types.find((each) => each.type === chosenType);
  const keys = keysIn(key);
  useTypeDefaults(form, types, { isNew, suggestedName: copied || channel ? '' : start.name });
  const test = useFormTest(form, client);
  const thenTest = useRef(false);
  const changes = countDirty(formState.dirtyFields);
  const many = isNew && keys.length > 1;

  const save = useSaveChannel(form, { channel, copied, start });

  const submit = (body: ChannelBody) => {
    const testing = thenTest.current;
    save.mutate(body, {
      onSuccess: (saved) => {
        const [first] = saved ?? [];
        if (!saved || !first) return;
        if (testing) {
          if (!channel) onMade(first);
          test.run(first);
          return;
        }
        if (saved.length > 1)
          toast.info(t('form.addedMany', { count: saved.length }), {
            action: { label: t('test.confirm', { count: saved.length }), onClick: () => void testMany(client, saved) },
          });
        else toast.success(t(channel ? 'form.saved' : 'form.added', { name: first.name }));
        onClose();
      },
    });
  };
  const onSave = async (event?: SubmitEvent<HTMLFormElement>) => {
    await handleSubmit(submit)(event);
    thenTest.current = false;
  };
  const onTest = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    if (channel && changes === 0) return test.run(channel);
    thenTest.current = true;
    currentTarget.form?.requestSubmit();
  };
  return (
    <EditDrawer
      title={title}
      subtitle={<Subtitle channel={channel} copied={copied} />}
      aside={
        type?.website && (
          <IconButton
            label={t('website')}
            icon={ExternalLink}
            render={<a href={type.website} target="_blank" rel="noreferrer" />}
          />
        )
      }
      changes={changes}
      saveLabel={channel ? undefined : many ? t('form.addMany', { count: keys.length }) : t('form.new')}
      alwaysSave={isNew}
      busy={save.isPending}
      onSave={onSave}
      extra={
        many ? undefined : (
          <Button icon={Zap} busy={test.isPending} disabled={save.isPending} onClick={onTest}>
            {t(channel && changes === 0 ? 'form.test' : 'form.saveAndTest')}
          </Button>
        )
      }
      notice={test.isPending || test.error || test.result ? <ChannelTestNote test={test} /> : undefined}
      onClose={onClose}
    >
      <ConnectionSection
        form={form}
        types={types}
        type={type}
        keyHint={channel?.key_hint}
        several={several || many}
        onSeveral={setSeveral}
      />
      <ModelsSection form={form} type={type} channelId={channel?.id ?? 0} />
      <RoutingSection control={control} />
      <AdvancedSection control={control} fallbackModel={modelToTest({ test_model: '', models })} />
    </EditDrawer>
  );
}

function Subtitle({ channel, copied }: Pick<Props, 'channel' | 'copied'>) {
  const { t } = useTranslation('channel');
  if (channel)
    return (
      <>
        <MiddleCut text={channel.name} /> <span>#{channel.id}</span> <Status kind={statusKind(channel.status)} />
      </>
    );
  return t(copied ? 'form.copyText' : 'form.newText', { name: copied?.name ?? '' });
}
