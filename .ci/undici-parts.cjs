// What the product uses of undici; the package itself loads all it has. `ProxyAgent` calls the method that opens tunnels.
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');

Dispatcher.prototype.connect = require('undici/lib/api/api-connect.js');
exports.Agent = require('undici/lib/dispatcher/agent.js');
exports.buildConnector = require('undici/lib/core/connect.js');
exports.Pool = require('undici/lib/dispatcher/pool.js');
exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js');
exports.Socks5ProxyAgent = require('undici/lib/dispatcher/socks5-proxy-agent.js');
