import { ChevronDown, ListOrdered } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

interface Props {
  order: string;
  orders: readonly { value: string; label: string }[];
  onOrder: (order: string) => void;
}

/** Sort order of a list, for orders that no column head offers. */
export function OrderChip({ order, orders, onOrder }: Props) {
  const { t } = useTranslation('channel');
  const named = orders.find(({ value }) => value === order)?.label ?? t('order.byColumn');
  return (
    <MenuButton
      label={`${t('order.title')}${t('order.colon')} ${named}`}
      icon={ListOrdered}
      iconOnly={false}
      align="start"
      entries={() => [{ label: t('order.title'), value: order, options: orders, onPick: onOrder }]}
      className="h-7.5! rounded-full! px-2.5! font-normal! text-text2! max-sm:h-9!"
    >
      <Icon of={ChevronDown} size={14} />
    </MenuButton>
  );
}
