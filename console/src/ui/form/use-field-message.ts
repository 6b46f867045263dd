import { useTranslation } from '#i18n/use-translation.ts';

/** Matches a code like `owner.icon`, which must never be displayed. */
const isCode = /^[a-z_]+(\.[a-z_]+)+$/;

/** Translates codes of `contractResolver`; messages of the server pass unchanged. */
export function useFieldMessage() {
  const { t, i18n } = useTranslation('shared');
  return (message: string | undefined): string | undefined => {
    if (message === undefined || message === '') return message;
    const [code = '', bound] = message.split(':');
    const key = `invalid_${code.replaceAll('.', '_')}`;
    // Codes come from schemas at run time, so check that a text exists.
    if (i18n.exists('shared', key)) return t(key as 'invalid_low', { limit: Number(bound) });
    return isCode.test(message) ? t('invalid_type') : message;
  };
}
