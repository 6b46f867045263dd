import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { CapsFields, useLimitWords } from './caps-fields.tsx';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

/** Limits of the channel and its keys, folded, in words. */
export function CapsSection({ control }: { control: Control<ChannelValues, unknown, ChannelBody> }) {
  const { t } = useTranslation('channelForm');
  const words = useLimitWords();
  const { field } = useController({ control, name: 'limits' });
  return (
    <DrawerSection title={t('caps.title')} text={words(field.value) || t('caps.text')} folded>
      <CapsFields limits={field.value} onChange={field.onChange} onBlur={field.onBlur} />
    </DrawerSection>
  );
}
