import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import type { Control } from 'react-hook-form';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { tagNames } from '#screens/panel/channel/channel-api.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { GroupField } from './group-field.tsx';

export function RoutingSection({
  control,
  needsTag,
}: {
  control: Control<ChannelValues, unknown, ChannelBody>;
  needsTag?: boolean;
}) {
  const { t } = useTranslation(['channelForm', 'channel']);
  const tags = useQuery(tagNames).data ?? [];
  return (
    <DrawerSection title={t('form.routing')} text={t('form.routingText')}>
      <div className="grid grid-cols-[1.5fr_1.2fr_1fr_1fr] items-start gap-4 max-sm:grid-cols-2">
        <GroupField control={control} />
        <FormText
          control={control}
          name="tag"
          label={t('channel:tag')}
          optional={!needsTag}
          maxLength={32}
          suggestions={tags.map(({ tag }) => tag)}
        />
        <FormNumber
          control={control}
          name="priority"
          label={t('channel:priority')}
          whole
          hint={t('form.priorityHint')}
        />
        <FormNumber control={control} name="weight" label={t('channel:weight')} whole hint={t('form.weightHint')} />
      </div>
    </DrawerSection>
  );
}
