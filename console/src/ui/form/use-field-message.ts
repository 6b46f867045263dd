import { useTranslation } from 'react-i18next';

/** `owner.icon`: nobody is to read one. */
const isCode = /^[a-z_]+(\.[a-z_]+)+$/;

/** Turns the codes of `contractResolver` into words; what the server says is shown as it is. */
export function useFieldMessage() {
  const { t, i18n } = useTranslation('shared');
  return (message: string | undefined): string | undefined => {
    if (message === undefined || message === '') return message;
    const [code = '', bound] = message.split(':');
    const key = `invalid_${code.replaceAll('.', '_')}`;
    // Codes come from schemas at run time; whether there are words for one is asked first.
    if (i18n.exists(key, { ns: 'shared' })) return t(key as 'invalid_low', { limit: Number(bound) });
    return isCode.test(message) ? t('invalid_type') : message;
  };
}
