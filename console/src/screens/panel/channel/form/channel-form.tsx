import type { Channel, ChannelType } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ExternalLink, Zap } from 'lucide-react';
import { useMemo, useRef, useState, type MouseEvent, type SubmitEvent } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { channelResolver, keysIn, type ChannelBody, type ChannelValues } from './channel-values.ts';
import { ChannelState } from '#screens/panel/channel/list/channel-status.tsx';
import { UsageWarningNote } from '#screens/panel/channel/list/usage-warning.tsx';
import { testMany } from '#screens/panel/channel/checks/channel-test.ts';
import { ChannelTestNote, useFormTest } from '#screens/panel/channel/checks/channel-test-note.tsx';
import { toastSaved } from '#screens/panel/channel/bulk/channel-actions.ts';
import { AdvancedSection } from './form-advanced.tsx';
import { ConnectionSection } from './form-connection.tsx';
import { BillingSection } from './form-billing.tsx';
import { CapsSection } from './form-caps.tsx';
import { LimitsSection } from './form-limits.tsx';
import { ModelsSection } from './form-models.tsx';
import { OptionsSection } from './form-options.tsx';
import { RoutingSection } from './form-routing.tsx';
import { RulesSection } from './form-rules.tsx';
import { FormSubtitle } from './form-subtitle.tsx';
import { KeysSection } from './keys-section.tsx';
import { PrivateNote, usePrivateAddress } from './private-address.tsx';
import { useSaveChannel } from './use-save-channel.ts';
import { useTypeDefaults } from './use-type-defaults.ts';

interface Props {
  title: string;
  types: readonly ChannelType[];
  channel: Channel | undefined;
  /** The channel that a new one is copied from. */
  copied: Channel | undefined;
  start: ChannelValues;
  onMade: (channel: Channel) => void;
  onTag: (tag: string) => void;
  onClose: () => void;
}

export function ChannelForm({ title, types, channel, copied, start, onMade, onTag, onClose }: Props) {
  const { t } = useTranslation(['channelForm', 'channel']);
  const client = useQueryClient();
  const isNew = !channel;
  const needsKey = isNew && !copied;
  const resolver = useMemo(() => channelResolver(types, { needsKey }), [types, needsKey]);
  const form = useForm<ChannelValues, unknown, ChannelBody>({ resolver, defaultValues: start, mode: 'onBlur' });
  const { control, handleSubmit, formState } = form;
  const [several, setSeveral] = useState(false);
  const [chosenType, key, inOne] = useWatch({ control, name: ['type', 'key', 'one_channel'] });
  const type = types.find((each) => each.type === chosenType);
  const keys = keysIn(key, type?.key.json);
  useTypeDefaults(form, types, { isNew, suggestedName: copied || channel ? '' : start.name });
  const privacy = usePrivateAddress(form, type);
  const test = useFormTest(form, client, privacy.onRefused);
  const thenTest = useRef(false);
  const changes = countDirty(formState.dirtyFields);
  const many = isNew && keys.length > 1 && !inOne;
  const save = useSaveChannel(form, { channel, copied, start, onRefused: privacy.onRefused });

  const runTest = (tested: Channel) => {
    privacy.starts(() => test.run(tested));
    test.run(tested);
  };
  const submit = (body: ChannelBody) => {
    const testing = thenTest.current;
    privacy.starts(() => {
      thenTest.current = testing;
      void onSave();
    });
    save.mutate(body, {
      onSuccess: (saved) => {
        const [first] = saved ?? [];
        if (!saved || !first) return;
        if (saved.some(({ base_url_sent: sent }) => sent !== undefined))
          toast.info(
            t('form.savedAddress', { address: [...new Set(saved.map(({ base_url }) => base_url))].join(', ') }),
          );
        const twins = new Set(saved.flatMap(({ same_key: others }) => others?.map(({ name }) => name) ?? []));
        if (twins.size > 0) toast.warning(t('form.sameKey', { names: [...twins].join(', ') }));
        if (testing) {
          if (!channel) onMade(first);
          runTest(first);
          return;
        }
        if (saved.length > 1)
          toast.info(t('form.addedMany', { count: saved.length }), {
            action: {
              label: t('channel:test.confirm', { count: saved.length }),
              onClick: () => void testMany(client, saved),
            },
          });
        else if (first.undo) toastSaved(client, first.undo, t('form.saved', { name: first.name }));
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
    if (channel && changes === 0) return runTest(channel);
    thenTest.current = true;
    currentTarget.form?.requestSubmit();
  };
  const testable = type?.testable ?? true;
  const testNote = test.isPending || test.error || test.result ? <ChannelTestNote test={test} /> : undefined;
  const notice = privacy.refused ? <PrivateNote at={privacy} /> : testNote;
  return (
    <EditDrawer
      title={title}
      subtitle={<FormSubtitle channel={channel} copied={copied} onTag={onTag} />}
      aside={
        <span className="flex items-center gap-1">
          {channel && (
            <span className="sm:hidden">
              <ChannelState channel={channel} />
            </span>
          )}
          {type?.website && (
            <IconButton
              label={t('channel:website')}
              icon={ExternalLink}
              render={<a href={type.website} target="_blank" rel="noreferrer" />}
            />
          )}
        </span>
      }
      changes={changes}
      saveLabel={channel ? undefined : many ? t('form.addMany', { count: keys.length }) : t('form.new')}
      alwaysSave={isNew}
      busy={save.isPending}
      onSave={onSave}
      extra={
        many || !testable ? undefined : (
          <Button icon={Zap} saves busy={test.isPending} disabled={save.isPending} onClick={onTest}>
            {t(channel && changes === 0 ? 'form.test' : 'form.saveAndTest')}
          </Button>
        )
      }
      notice={notice}
      onClose={onClose}
    >
      {channel && <UsageWarningNote channel={channel} />}
      <ConnectionSection
        form={form}
        types={types}
        type={type}
        channel={channel}
        copied={copied}
        several={several || (isNew && keys.length > 1)}
        onSeveral={setSeveral}
      />
      <ModelsSection form={form} type={type} channelId={channel?.id ?? 0} privacy={privacy} />
      <RoutingSection control={control} />
      {channel && <KeysSection channel={channel} />}
      {type && type.plugins.length > 0 && <OptionsSection control={control} plugins={type.plugins} />}
      <RulesSection control={control} />
      <BillingSection control={control} channelId={channel?.id ?? 0} />
      <CapsSection control={control} />
      <LimitsSection control={control} />
      <AdvancedSection control={control} testable={testable} />
    </EditDrawer>
  );
}
