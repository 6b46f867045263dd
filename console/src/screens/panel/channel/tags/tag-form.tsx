import type { ChannelTag, ChannelType, channelTagApi, ReplyOf } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { FormTextarea } from '#ui/form/form-text.tsx';
import { toastChanged } from '#screens/panel/channel/bulk/channel-actions.ts';
import { tagResolver, type ChannelBody, type ChannelValues } from '#screens/panel/channel/form/channel-values.ts';
import { AdvancedSection } from '#screens/panel/channel/form/form-advanced.tsx';
import { OtherField } from '#screens/panel/channel/form/form-connection.tsx';
import { BillingSection } from '#screens/panel/channel/form/form-billing.tsx';
import { CapsSection } from '#screens/panel/channel/form/form-caps.tsx';
import { LimitsSection } from '#screens/panel/channel/form/form-limits.tsx';
import { ModelsSection } from '#screens/panel/channel/form/form-models.tsx';
import { OptionsSection } from '#screens/panel/channel/form/form-options.tsx';
import { RoutingSection } from '#screens/panel/channel/form/form-routing.tsx';
import { RulesSection } from '#screens/panel/channel/form/form-rules.tsx';
import { PrivateNote, usePrivateAddress } from '#screens/panel/channel/form/private-address.tsx';
import { useSaveTag } from '#screens/panel/channel/form/use-save-channel.ts';

interface Props {
  tag: string;
  count: ChannelTag['channels'];
  /** The first channel of the tag: the form's initial values. */
  first: ReplyOf<typeof channelTagApi.get>;
  types: readonly ChannelType[];
  start: ChannelValues;
  onClose: () => void;
}

/** Sets values for all channels of a tag; only changed fields apply. */
export function TagForm({ tag, count, first, types, start, onClose }: Props) {
  const { t } = useTranslation(['channelForm', 'channel']);
  const client = useQueryClient();
  const form = useForm<ChannelValues, unknown, ChannelBody>({
    resolver: tagResolver,
    defaultValues: start,
    mode: 'onBlur',
  });
  const { control, handleSubmit, formState } = form;
  const type = types.find((each) => each.type === first.type);
  const privacy = usePrivateAddress(form, type);
  const save = useSaveTag(form, tag, { start, onRefused: privacy.onRefused });
  const submit = (body: ChannelBody) => {
    privacy.starts(() => submit(body));
    save.mutate(body, {
      onSuccess: (done) => {
        if (!done) return;
        const changed = done.changed + done.added;
        toastChanged(client, { ...done, changed }, t('channel:kin.saved', { tag, count: changed }));
        onClose();
      },
    });
  };
  return (
    <EditDrawer
      title={`${t('form.tagTitle')} ${tag}`}
      subtitle={t('form.tagText', { tag, count })}
      changes={countDirty(formState.dirtyFields)}
      saveLabel={t('form.tagSave', { count })}
      busy={save.isPending}
      onSave={(event?: SubmitEvent<HTMLFormElement>) => handleSubmit(submit)(event)}
      notice={privacy.refused ? <PrivateNote at={privacy} /> : undefined}
      onClose={onClose}
    >
      <RoutingSection control={control} needsTag />
      <ModelsSection form={form} type={type} channelId={first.id} privacy={privacy} />
      <DrawerSection title={t('form.keysTitle')} text={t('form.keysText', { count: first.keys.length })} folded>
        <FormTextarea
          control={control}
          name="key"
          label={t('form.tagKeys')}
          optional
          mono
          rows={3}
          placeholder={t('form.keysPlaceholder')}
          hint={t('form.tagKeysHint')}
        />
      </DrawerSection>
      {type && (type.other || type.plugins.length > 0) && (
        <>
          {type.other && (
            <DrawerSection title={t('form.options')} text={t('form.optionsText')} folded>
              <OtherField control={control} other={type.other} />
            </DrawerSection>
          )}
          {type.plugins.length > 0 && <OptionsSection control={control} plugins={type.plugins} />}
        </>
      )}
      <RulesSection control={control} />
      <BillingSection control={control} />
      <CapsSection control={control} />
      <LimitsSection control={control} />
      <AdvancedSection control={control} testable={type?.testable ?? true} />
    </EditDrawer>
  );
}
