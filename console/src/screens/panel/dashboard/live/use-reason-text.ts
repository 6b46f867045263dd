import { useTranslation } from '#i18n/use-translation.ts';

const known = [
  'connect',
  'timeout',
  'rate',
  'key',
  'billing',
  'model',
  'route',
  'server',
  'broken',
  'reply',
  'content',
  'request',
  'caller',
  'ours',
  'hub',
] as const;

/** Short text of a kind of failed attempt or the cause of a freeze. */
export function useReasonText(): (reason: string) => string {
  const { t } = useTranslation('cockpit');
  return (reason) => t(`reason.${known.find((each) => each === reason) ?? 'other'}`);
}
