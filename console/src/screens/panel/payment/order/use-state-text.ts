import { useTranslation } from '#i18n/use-translation.ts';

const known = ['unpaid', 'ended', 'missing', 'open', 'closed', 'paid', 'processing', 'success', 'refused'] as const;

/** Words for states that every gateway has; a gateway's own word is shown as it came. */
export function useStateText(): (state: string) => string {
  const { t } = useTranslation('paymentOrder');
  return (state) => {
    const name = known.find((each) => each === state);
    return name ? t(`stateWords.${name}`) : state;
  };
}
