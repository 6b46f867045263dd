/**
 * Fields that direct relays and SDKs to an address, an account or another model, or replace the reply. An upstream that is
 * a relay could send the operator's call to the caller's address, take the caller's headers for the operator's, or serve
 * a model that is not the one which is charged.
 */
export const routingFields = [
  ...'api_base base_url azure_endpoint aws_bedrock_runtime_endpoint api_key api_version azure_ad_token'.split(' '),
  ...'headers extra_headers extra_body extra_query organization deployment_id vertex_project vertex_location'.split(
    ' ',
  ),
  ...'vertex_credentials aws_access_key_id aws_secret_access_key aws_session_token aws_region_name'.split(' '),
  ...'custom_llm_provider litellm_params litellm_metadata litellm_credential_name user_config router_settings'.split(
    ' ',
  ),
  ...'model_list models route fallbacks context_window_fallbacks content_policy_fallbacks'.split(' '),
  ...'mock_response mock_tool_calls input_cost_per_token output_cost_per_token'.split(' '),
];

/** Routing fields that are labels of callers inside of `metadata`. */
export const metadataLabels: ReadonlySet<string> = new Set(['organization', 'models', 'route']);
