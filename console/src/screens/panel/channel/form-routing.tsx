import { useQuery } from '@tanstack/react-query';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { DrawerSection } from '#shared/drawer-section.tsx';
import { FormNumber } from '#shared/form-number.tsx';
import { everyChannel } from '#api/every-channel.ts';
import { FormText } from '#shared/form-text.tsx';

import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { GroupField } from './group-field.tsx';

/** Which calls come here. */
export function RoutingSection({ control }: { control: Control<ChannelValues, unknown, ChannelBody> }) {
  const { t } = useTranslation('channel');
  const every = useQuery({ ...everyChannel, enabled: false }).data?.data ?? [];
  const tags = [...new Set(every.map(({ tag }) => tag).filter((tag) => tag !== ''))].toSorted();
  return (
    <DrawerSection title={t('form.routing')} text={t('form.routingText')}>
      <div className="grid grid-cols-[1.5fr_1.2fr_1fr_1fr] items-start gap-4 max-sm:grid-cols-2">
        <GroupField control={control} />
        <FormText control={control} name="tag" label={t('tag')} optional maxLength={32} suggestions={tags} />
        <FormNumber control={control} name="priority" label={t('priority')} whole hint={t('form.priorityHint')} />
        <FormNumber control={control} name="weight" label={t('weight')} whole hint={t('form.weightHint')} />
      </div>
    </DrawerSection>
  );
}
