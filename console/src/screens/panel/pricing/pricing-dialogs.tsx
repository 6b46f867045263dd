import { PriceChangeDialog } from '#screens/panel/pricing/edit/price-change-dialog.tsx';
import { PriceChangesDialog } from '#screens/panel/pricing/update/price-changes-dialog.tsx';
import { PriceHistory } from '#screens/panel/pricing/edit/price-history.tsx';
import { UpdateDialog } from '#screens/panel/pricing/update/update-dialog.tsx';
import type { PriceActions } from './use-price-actions.ts';

interface Props {
  /** `update`, `changes`, `change:<id>` or `history:<model>`. */
  open: string;
  actions: PriceActions;
  onOpen: (open: string) => void;
}

export function PricingDialogs({ open, actions, onOpen }: Props) {
  const close = () => onOpen('');
  const [what, of = ''] = splitOnce(open);
  if (what === 'update') return <UpdateDialog actions={actions} onClose={close} />;
  if (what === 'changes')
    return <PriceChangesDialog actions={actions} onShow={(id) => onOpen(`change:${id}`)} onClose={close} />;
  if (what === 'change') return <PriceChangeDialog key={of} id={Number(of)} actions={actions} onClose={close} />;
  if (what === 'history') return <PriceHistory key={of} model={of} onClose={close} />;
  return null;
}

/** Model names may contain colons. */
function splitOnce(text: string): [string, string?] {
  const at = text.indexOf(':');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
