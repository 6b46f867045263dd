import { RecordDrawer } from '#list/record-drawer.tsx';
import type { TokenExample } from '#screens/panel/token/connect/example-dialog.tsx';
import { tokenById } from './token-api.ts';
import { TokenForm } from './token-form.tsx';

interface Props {
  edit: string;
  /** Called with a new token and its key. */
  onCreated: (example: TokenExample) => void;
  onClose: () => void;
}

export function TokenDrawer({ edit, onCreated, onClose }: Props) {
  return (
    <RecordDrawer
      edit={edit}
      query={tokenById}
      create={<TokenForm onCreated={onCreated} onClose={onClose} />}
      onClose={onClose}
    >
      {(token) => <TokenForm token={token} onClose={onClose} />}
    </RecordDrawer>
  );
}
