// What the product uses of undici; the package itself loads all it has.
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');

Dispatcher.prototype.request = require('undici/lib/api/api-request.js');
exports.Agent = require('undici/lib/dispatcher/agent.js');
exports.EnvHttpProxyAgent = require('undici/lib/dispatcher/env-http-proxy-agent.js');
