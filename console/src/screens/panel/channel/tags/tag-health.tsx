import type { ChannelTag } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Status } from '#ui/feedback/status.tsx';

/** Number of channels with a tag, by health. */
export function TagHealth({ row }: { row: ChannelTag }) {
  const { t } = useTranslation('channel');
  const { channels, enabled, disabled, test_disabled: testDisabled, failing } = row;
  const rest = [
    disabled > 0 ? t('kin.off', { count: disabled }) : '',
    testDisabled > 0 ? t('kin.testDisabled', { count: testDisabled }) : '',
    failing > 0 ? t('kin.failing', { count: failing }) : '',
  ].filter(Boolean);
  const kind = testDisabled > 0 || failing > 0 ? 'failed' : enabled === 0 ? 'disabled' : 'enabled';
  const text = enabled === channels ? t('kin.sum', { count: channels }) : t('kin.enabled', { count: enabled });
  return <Status kind={kind} text={text} detail={rest.length > 0 ? rest.join(' · ') : undefined} />;
}
