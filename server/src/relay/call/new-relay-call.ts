import { Buffer } from 'node:buffer';
import type { CallContext, RelayCall } from '#relay/types/call-types.ts';
import type { AdmittedCaller } from './charged-call.ts';

/** Members that depend on the kind of call; left out: none. */
interface CallParts
  extends
    Pick<RelayCall, 'operation' | 'dialect' | 'request' | 'endpoint'>,
    Partial<
      Pick<
        RelayCall,
        | 'body'
        | 'json'
        | 'callerPath'
        | 'callerHeaders'
        | 'claim'
        | 'dropped'
        | 'state'
        | 'place'
        | 'parse'
        | 'conversation'
      >
    > {
  asList?: boolean | undefined;
}

const noBody = Buffer.alloc(0);

/** The call of a caller, with nothing reserved yet. */
export const newRelayCall = (
  { deps, request, requestId }: CallContext,
  admitted: AdmittedCaller,
  parts: CallParts,
): RelayCall => ({
  // Members are listed because spreading an object and adding to it copies it several times.
  requestId,
  startMs: admitted.startMs,
  rate: admitted.rate,
  operation: parts.operation,
  dialect: parts.dialect,
  request: parts.request,
  group: admitted.group,
  pin: admitted.pin,
  except: admitted.except,
  caller: admitted.caller,
  endpoint: parts.endpoint,
  body: parts.body ?? noBody,
  json: parts.json,
  startedS: deps.now(),
  asList: parts.asList ?? false,
  callerPath: parts.callerPath,
  callerHeaders: parts.callerHeaders,
  sourceIp: admitted.sourceIp,
  reserved: 0,
  claim: parts.claim,
  pictures: undefined,
  dropped: parts.dropped,
  state: parts.state,
  place: parts.place,
  parse: parts.parse,
  conversation: parts.conversation,
  spans: deps.telemetry?.contextOf(request.headers),
});
