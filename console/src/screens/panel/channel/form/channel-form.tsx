import type { Channel, ChannelType } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ExternalLink, Zap } from 'lucide-react';
import { type MouseEvent, type SubmitEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { type ChannelBody, channelResolver, type ChannelValues, keysIn, optionsFor } from './channel-values.ts';
import { ChannelState } from '#screens/panel/channel/list/channel-status.tsx';
import { UsageWarningNote } from '#screens/panel/channel/list/usage-warning.tsx';
import { testMany } from '#screens/panel/channel/checks/channel-test.ts';
import { ChannelTestNote, useFormTest } from '#screens/panel/channel/checks/channel-test-note.tsx';
import { toastSaved } from '#screens/panel/channel/bulk/channel-actions.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { AdvancedSection } from './form-advanced.tsx';
import { ConnectionSection } from './form-connection.tsx';
import { BillingSection } from './form-billing.tsx';
import { CapsSection } from './form-caps.tsx';
import { LimitsSection } from './form-limits.tsx';
import { ModelsSection } from './form-models.tsx';
import { OptionsSection } from './form-options.tsx';
import { RoutingSection } from './form-routing.tsx';
import { RulesSection } from './form-rules.tsx';
import { KeysSection } from './keys-section.tsx';
import { PrivateNote, usePrivateAddress } from './private-address.tsx';
import { useSaveChannel } from './use-save-channel.ts';

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

interface Options {
  isNew: boolean;
  /** The name suggested when the form opened; empty for a name of the user's. */
  suggestedName: string;
}

/** On a type change, its defaults fill fields that are empty or still hold the previous type's defaults. */
function useTypeDefaults(
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>,
  types: readonly ChannelType[],
  { isNew, suggestedName }: Options,
): void {
  const chosen = useWatch({ control: form.control, name: 'type' });
  const before = useRef(chosen);
  const suggested = useRef(suggestedName);
  useEffect(() => {
    if (before.current === chosen) return;
    const last = types.find(({ type }) => type === before.current);
    const next = types.find(({ type }) => type === chosen);
    before.current = chosen;
    if (!next) return;
    const { name, test_model: testModel, models, other, plugin } = form.getValues();
    const options = { shouldDirty: !isNew };
    if (name === '' || name === suggested.current) {
      suggested.current = next.title;
      form.setValue('name', next.title, options);
    }
    if (testModel === '' || testModel === last?.test_model) form.setValue('test_model', next.test_model, options);
    const own = next.models.join(',');
    if (models === '' || models === last?.models.join(',')) form.setValue('models', own, options);
    // The parameter has another meaning for another type.
    if (last?.other?.kind !== next.other?.kind && other !== '') form.setValue('other', '', options);
    form.setValue('plugin', optionsFor(plugin, next), options);
    // Required fields depend on the type.
    form.clearErrors(['base_url', 'other', 'key', 'plugin']);
  }, [chosen, types, form, isNew]);
}

interface FormSubtitleProps {
  channel: Channel | undefined;
  copied: Channel | undefined;
  onTag: (tag: string) => void;
}

/** The form's channel, with a link to the form for its whole tag. */
function FormSubtitle({ channel, copied, onTag }: FormSubtitleProps) {
  const { t } = useTranslation('channelForm');
  if (!channel) return t(copied ? 'form.copyText' : 'form.newText', { name: copied?.name ?? '' });
  return (
    <>
      <MiddleCut text={channel.name} /> <span>#{channel.id}</span>
      <span className="max-sm:hidden">
        <ChannelState channel={channel} />
      </span>
      {channel.tag !== '' && (
        <button
          type="button"
          onClick={() => onTag(channel.tag)}
          title={t('form.together', { tag: channel.tag })}
          className="touch min-w-0 rounded-tile text-left text-accent hover:underline"
        >
          {channel.tag}: {t('form.editTogether')}
        </button>
      )}
    </>
  );
}
