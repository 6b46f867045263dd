import type { Token } from '@relay-hub/contract';
import { RecordDrawer } from '#list/record-drawer.tsx';
import type { TokenExample } from '#screens/panel/token/connect/example-dialog.tsx';
import { tokenById } from './token-api.ts';
import { TokenForm } from './token-form.tsx';

interface Props {
  edit: string;
  /** Called with a new token and its key. */
  onCreated: (example: TokenExample) => void;
  onRotate: (token: Token) => void;
  onRevoke: (token: Token) => void;
  onClose: () => void;
}

export function TokenDrawer({ edit, onCreated, onRotate, onRevoke, onClose }: Props) {
  return (
    <RecordDrawer
      edit={edit}
      query={tokenById}
      create={<TokenForm onCreated={onCreated} onClose={onClose} />}
      onClose={onClose}
    >
      {(token) => <TokenForm token={token} onRotate={onRotate} onRevoke={onRevoke} onClose={onClose} />}
    </RecordDrawer>
  );
}
